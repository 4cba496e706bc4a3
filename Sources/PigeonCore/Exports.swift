@_exported public import PigeonBase
