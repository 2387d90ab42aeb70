"""A local web server for browsing a dataset: its tasks, pairs, episodes and outcomes.

Nothing is imported here: ``listening`` needs the extra ``viewer``, but judging processes do not.
"""
