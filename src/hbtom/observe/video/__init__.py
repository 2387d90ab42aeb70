"""The reader of videos: what pictures show becomes an episode.

``pictures`` decodes a video, ``camera`` finds out how the world is seen, ``stage`` where floor and
walls are, ``colours``, ``solids`` and ``things`` what else there is, ``following`` where that goes,
``watching`` does this trial by trial, and ``reading`` tells who is who.
"""
