"""Runs every NAME.onnx of a folder at the points of NAME.npz and compares with the fields there."""

import pathlib
import sys

import numpy
import onnxruntime

LIMIT = 1e-12

onnxruntime.set_default_logger_severity(3)
failures = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    with numpy.load(path.with_suffix(".npz")) as arrays:
        points, fields = arrays["points"], arrays["fields"]
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    (entry,), (exit,) = session.get_inputs(), session.get_outputs()
    assert (entry.name, entry.type, entry.shape[1]) == ("coordinates", "tensor(double)", points.shape[1]), path
    assert (exit.name, exit.type, exit.shape[1]) == ("fields", "tensor(double)", fields.shape[1]), path
    notes = session.get_modelmeta().custom_metadata_map
    assert len(notes["coordinates"].split(",")) == points.shape[1], path
    (values,) = session.run(None, {"coordinates": points})
    assert values.shape == fields.shape, (path, values.shape, fields.shape)
    # Relative to the size of a field, or to one where it is small.
    error = numpy.max(numpy.abs(values - fields) / numpy.maximum(1.0, numpy.max(numpy.abs(fields), axis=0)))
    print(f"{path.stem:28} {error:.1e}")
    failures += not error < LIMIT
    (one,) = session.run(None, {"coordinates": points[:1]})
    assert one.shape == (1, fields.shape[1]), path
sys.exit(f"{failures} above {LIMIT}" if failures else 0)
