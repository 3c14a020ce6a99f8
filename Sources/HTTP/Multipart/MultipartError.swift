/// The reason why a multipart body is rejected.
public enum MultipartError: Error, Hashable, Sendable {
    /// Status 400, with a sentence for the client.
    case malformed(String)
    /// Status 413: the body exceeded a limit. The sentence for the client names the limit.
    case tooLarge(String)

    /// The sentence for the client.
    public var sentence: String {
        switch self {
        case .malformed(let sentence), .tooLarge(let sentence): sentence
        }
    }
}
