"""What feeds the log: the device gateway and the simulator."""
