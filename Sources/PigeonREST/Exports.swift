@_exported public import CombineShim
@_exported public import PigeonCore
@_exported public import PigeonOutbox
