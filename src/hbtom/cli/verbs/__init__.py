"""The options and help of each verb; its code is imported when it is called."""
