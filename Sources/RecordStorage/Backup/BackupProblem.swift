/// The reason why a backup cannot be made, verified or restored, as a sentence for the operator.
package struct BackupProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Creates a problem that a sentence describes.
    package init(_ description: String) {
        self.description = description
    }
}
