"""What can be said to hbtom: the words of each verb. What it does is imported when it is called."""
