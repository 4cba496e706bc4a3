#if canImport(SwiftUI)
    public import SwiftUI
#endif
