/// How far an app has read a database's changes. It belongs to whoever is signed in, and is another text in each answer.
public struct ChangeToken: Hashable, Sendable, Codable {
    /// What an app keeps, with what it has read.
    public var text: String

    /// - Parameter text: As an app has kept it.
    public init(_ text: String) {
        self.text = text
    }
}
