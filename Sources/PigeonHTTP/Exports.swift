@_exported public import PigeonBase

#if os(WASI)
    #error(
        "PigeonHTTP needs FoundationNetworking, which WebAssembly has not. Use PigeonCore, Pigeon or PigeonStore there, with fetchers over the browser's fetch or wasi:http."
    )
#endif
