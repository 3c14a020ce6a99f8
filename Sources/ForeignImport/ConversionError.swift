/// Why a data set cannot be converted. Nothing is imported then.
package struct ConversionError: Error, Hashable, CustomStringConvertible {
    /// The file or directory.
    package let path: String
    /// The number of the line, from 1; `nil` if the whole file is meant.
    package let line: Int?
    /// The sentence, without a period.
    package let reason: String

    /// Creates an error of a file, or of a line of it.
    package init(_ path: String, line: Int? = nil, _ reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// The place and the sentence, with a period.
    package var description: String { path + (line.map { ":\($0)" } ?? "") + ": \(reason)." }
}
