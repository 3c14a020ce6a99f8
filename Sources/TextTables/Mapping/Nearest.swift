internal import UnicodeText

/// Finds the column or field that a name may mean.
enum Nearest {
    /// Returns the known name nearest to a name; `nil` if none is near. Only letters and digits count.
    static func name(to name: String, among known: [String]) -> String? {
        NearestWord.find(name, among: known, allowing: 1, by: folded)
    }

    /// Letters and digits in lowercase.
    static func folded(_ name: String) -> String {
        let scalars = name.lowercased().unicodeScalars.filter { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
