"""Prints the scalars that TensorBoard finds in a folder of event files: tag, step, time, value."""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
events.Reload()
tags = events.Tags()
for tag in tags["scalars"]:
    for event in events.Scalars(tag):
        print(f"{tag}|{event.step}|{event.wall_time!r}|{event.value!r}")
for tag in tags["tensors"]:
    for event in events.Tensors(tag):
        print(f"{tag}|{event.step}|{event.wall_time!r}|{float(make_ndarray(event.tensor_proto))!r}")
