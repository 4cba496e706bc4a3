#if canImport(Combine)
    @_exported public import Combine
#else
    @preconcurrency @_exported public import OpenCombine
    @preconcurrency @_exported public import OpenCombineDispatch
    @preconcurrency @_exported public import OpenCombineFoundation
#endif
