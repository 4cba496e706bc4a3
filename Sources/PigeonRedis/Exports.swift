@_exported public import PigeonFleet
