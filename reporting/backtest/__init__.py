"""The forecast and the water balance tried on invented tanks whose truth is known day by day."""
