@_exported public import Foundation
@_exported public import Observation
@preconcurrency @_exported public import OpenCombine
@preconcurrency @_exported public import OpenCombineDispatch
@preconcurrency @_exported public import OpenCombineFoundation
