// What Sphinx's search page says, and has no Chinese for that fits.
Object.assign(Documentation.TRANSLATIONS, {
  "Search finished, found one page matching the search query.": ["找到 ${resultCount} 頁。"],
  "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.":
    "沒有任何一頁符合。請試試別的詞，或少打幾個字。",
});
