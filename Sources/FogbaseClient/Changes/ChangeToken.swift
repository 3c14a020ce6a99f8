/// A sync token: a position in the change feed of a zone.
///
/// A token is valid only for the user that received it. Two tokens of the same position can have different texts.
public struct ChangeToken: Hashable, Sendable, Codable {
    /// The token as text, for an app to save with its data.
    public var text: String

    /// Creates a token from its saved text.
    public init(_ text: String) {
        self.text = text
    }
}
