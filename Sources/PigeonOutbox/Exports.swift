@_exported public import PigeonCore
