@_exported public import Pigeon
