@_exported public import PigeonQueryUI
