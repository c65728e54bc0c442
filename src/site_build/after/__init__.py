"""What is done to the finished site, a folder of files. A step with nothing to do is an error."""
