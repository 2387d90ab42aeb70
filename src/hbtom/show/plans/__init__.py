"""Plans in any domain as pictures: who is where, a board to draw it on, a story, and a movie."""
