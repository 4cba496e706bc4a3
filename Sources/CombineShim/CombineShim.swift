#if canImport(Combine)
    @_exported public import Combine
#else
    @preconcurrency @_exported public import OpenCombine

    // WebAssembly has no dispatch queues, nor sessions and timers to publish.
    #if canImport(Dispatch)
        @preconcurrency @_exported public import OpenCombineDispatch
        @preconcurrency @_exported public import OpenCombineFoundation
    #endif
#endif
