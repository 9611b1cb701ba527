"""The course's labelled data: memories, the questions they answer, and vectors made of both."""
