/// A cache of the texts of web auth tokens, because sealing and opening them takes longer than a short request.
///
/// A text says only which session it belongs to, so the cache never makes a token valid: `CallerReader.authenticate` checks
/// the session, its account and its end for each request. Confined to the reader's thread.
package final class WebAuthTokenCache {
    private let database: RecordDatabase
    private var opened: [String: WebAuthToken] = [:]
    private var made: [WebAuthToken: (minute: Int64, text: String)] = [:]

    /// The number of entries at which a part of the cache is cleared.
    private static let most = 1_000

    init(_ database: RecordDatabase) { self.database = database }

    /// Opens the text of a token; `nil` if the text is not a token of the database. Only valid texts are remembered.
    package func open(_ text: String) -> WebAuthToken? {
        if let known = opened[text] { return known }
        guard let token = WebAuthToken(text, of: database) else { return nil }
        if opened.count >= Self.most { opened.removeAll(keepingCapacity: true) }
        opened[text] = token
        return token
    }

    /// Returns a text for a session's next request: the same during one minute, then another.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func text(of token: WebAuthToken, now: Int64) -> String {
        let minute = now / 60_000
        if let known = made[token], known.minute == minute { return known.text }
        let text = token.makeText(of: database)
        if made.count >= Self.most { made.removeAll(keepingCapacity: true) }
        made[token] = (minute, text)
        return text
    }
}
