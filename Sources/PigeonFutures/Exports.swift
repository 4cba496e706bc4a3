@_exported public import CombineShim
@_exported public import PigeonHTTP
