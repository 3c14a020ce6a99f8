/// Which accounts of this server the users of the source are.
package struct UserMap: Hashable, Sendable {
    /// The record names of accounts here, by the record names of users of the source.
    private var names: [String: String]

    /// The record names that stand for no account, and mean the same on every server of this kind.
    private static let special = ["_administrator", "_anonymous"]

    /// Creates a map.
    ///
    /// - Parameter names: The record names of accounts here, by the record names of users of the source.
    package init(_ names: [String: String] = [:]) {
        self.names = Dictionary(uniqueKeysWithValues: Self.special.map { ($0, $0) }).merging(names) { $1 }
    }

    /// Adds the owner of a private database.
    ///
    /// - Parameters:
    ///   - source: The record name of the owner at the source; `nil` if it is not known.
    ///   - local: The record name of the account here.
    package mutating func add(owner source: String?, local: String) {
        // The names by which CloudKit's records call the user who reads them.
        for name in [source, "_defaultOwner", "__defaultOwner__"].compactMap(\.self) where names[name] == nil {
            names[name] = local
        }
    }

    /// Returns the record name of the account that a user of the source is; `nil` if there is none.
    package func account(of user: String) -> String? { names[user] }

    /// Whether a name is the record name of an account here.
    func isAccount(_ name: String) -> Bool { names.values.contains(name) }

    /// Why a file of users cannot be read.
    package struct Problem: Error, Hashable {
        /// The number of the line, from 1.
        package let line: Int
        /// The sentence, without a period.
        package let reason: String
    }

    /// Reads the lines of a file: a record name at the source and an account here, separated by a comma.
    ///
    /// - Returns: The pairs, in order.
    /// - Throws: `Problem`.
    package static func read(_ text: String) throws(Problem) -> [(source: String, account: String)] {
        var pairs: [(source: String, account: String)] = []
        var known: Set<String> = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = trimmed(line)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw Problem(
                    line: index + 1,
                    reason:
                        "A line has the record name of a user at the source, a comma, and the name of an account here")
            }
            guard known.insert(String(parts[0])).inserted else {
                throw Problem(line: index + 1, reason: "The user \(parts[0]) is named twice")
            }
            pairs.append((String(parts[0]), String(parts[1])))
        }
        return pairs
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
