/// Why a backup cannot be made, verified or restored, as a sentence for the operator.
package struct BackupProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
