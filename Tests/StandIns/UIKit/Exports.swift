@_exported public import _CoreGraphics
@_exported public import Foundation

// `scripts/typecheck-apple` replaces Foundation with this module, and the compiler does not export the replacement.
#if canImport(_AppleFoundation)
    @_exported public import _AppleFoundation
#endif
