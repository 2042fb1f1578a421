"""Container images, made where no image registry may be in reach; `make images`."""
