// Stands for the module `_Testing_UIKit`, which the compiler adds where both `Testing` and `UIKit` are imported. Nothing
// of it is needed here.
