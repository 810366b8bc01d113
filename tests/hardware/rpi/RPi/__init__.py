"""A board without a Raspberry Pi: what gpiozero's RPiGPIOFactory asks of RPi.GPIO, honestly done."""

VERSION = "0.7.1"
