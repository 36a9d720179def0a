"""The kinds of quantity that figures speak of.  To numpy and mypy each is a float; to the recorder it has a unit."""

from typing import Annotated

Count = Annotated[float, ""]
Share = Annotated[float, ""]
Switch = Annotated[float, ""]
"""0 or 1."""
Bytes = Annotated[float, "byte"]
BytesPerSecond = Annotated[float, "byte/s"]
BytesPerToken = Annotated[float, "byte/token"]
Tokens = Annotated[float, "token"]
PerSecond = Annotated[float, "/s"]
TokensPerSecond = Annotated[float, "token/s"]
Seconds = Annotated[float, "s"]
Hours = Annotated[float, "h"]
Flop = Annotated[float, "FLOP"]
FlopPerSecond = Annotated[float, "FLOP/s"]
FlopPerByte = Annotated[float, "FLOP/byte"]
Usd = Annotated[float, "USD"]
UsdPerHour = Annotated[float, "USD/h"]
UsdPerKilowattHour = Annotated[float, "USD/kWh"]
Watts = Annotated[float, "W"]
KilowattHours = Annotated[float, "kWh"]
UsdPerKilowattMonth = Annotated[float, "USD*h/kWh"]
"""Price of one kilowatt for a month; a month is a plain number."""
KilogramsPerKilowattHour = Annotated[float, "kg/kWh"]
Kilograms = Annotated[float, "kg"]
