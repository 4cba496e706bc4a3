extension String {
    /// The text without anything that a terminal would act on: spaces in place of line breaks and tabs, and no other
    /// control characters, so that what a server sent cannot send escape sequences.
    package var withoutControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var clean = ""
        for scalar in replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}": clean.append(" ")
            case _ where scalar.isControl: continue
            default: clean.unicodeScalars.append(scalar)
            }
        }
        return clean
    }
}
