@_exported public import _CoreGraphics
@_exported public import Foundation
@_exported public import Observation
@preconcurrency public import OpenCombine

// `scripts/typecheck-apple` replaces Foundation with this module, and the compiler does not export the replacement.
#if canImport(_AppleFoundation)
    @_exported public import _AppleFoundation
#endif

// Apple's SwiftUI exports nothing of Combine but these two, which are Foundation's.

/// `Foundation.ObservableObject`
public typealias ObservableObject = OpenCombine.ObservableObject

/// `Foundation.Published`
public typealias Published = OpenCombine.Published
