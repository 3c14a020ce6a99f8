/// Why a multipart body is refused.
public enum MultipartError: Error, Hashable, Sendable {
    /// 400, with a sentence.
    case malformed(String)
    /// 413, with a sentence: one of the limits was passed.
    case tooLarge(String)

    /// What is wrong, for the answer.
    public var sentence: String {
        switch self {
        case .malformed(let sentence), .tooLarge(let sentence): sentence
        }
    }
}
