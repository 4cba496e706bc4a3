#if canImport(Combine)
    @_exported public import Combine
#else
    @preconcurrency @_exported public import OpenCombine

    // WebAssembly has neither dispatch queues, nor URL sessions and timers that could be published.
    #if canImport(Dispatch)
        @preconcurrency @_exported public import OpenCombineDispatch
        @preconcurrency @_exported public import OpenCombineFoundation
    #endif
#endif
