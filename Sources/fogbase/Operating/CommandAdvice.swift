/// Replaces the advice of the HTTP interface in error sentences by that of the command line.
enum CommandAdvice {
    /// The advice of the interface, and the command. A star stands for a name, which the command repeats.
    private static let advice = [
        ("GET /schema/snapshots lists", "'fogbase schema snapshots' lists"),
        ("send {\"deleteRecords\":true}, which deletes", "use --delete-records, which deletes"),
        ("promote with {\"dropFields\":true}, which removes", "use --drop-fields, which removes"),
        ("PUT /schema adds one", "'fogbase schema import' adds one"),
        ("Make it with PUT /roles/* first", "Make it with 'fogbase roles add * USER --make' first"),
        ("PUT /roles/* with its members makes it", "'fogbase roles add * USER --make' makes it"),
        ("with PUT /schema", "with 'fogbase schema import'"), ("by PUT /schema", "by 'fogbase schema import'"),
        ("POST /explain/access tells", "'fogbase access explain' tells"),
        ("GET /users?name=… tells it", "'fogbase users list' prints it"),
    ]

    /// Returns a sentence of the interface for the command line.
    static func words(_ sentence: String) -> String {
        var sentence = sentence
        for (old, new) in advice {
            let parts = old.split(separator: "*", omittingEmptySubsequences: false)
            guard let start = sentence.firstRange(of: parts[0]) else { continue }
            guard parts.count > 1 else {
                sentence.replaceSubrange(start, with: new)
                continue
            }
            let rest = sentence[start.upperBound...]
            guard let end = rest.firstRange(of: parts[1]) else { continue }
            let name = rest[..<end.lowerBound]
            guard !name.contains(" ") else { continue }
            sentence.replaceSubrange(start.lowerBound..<end.upperBound, with: new.replacing("*", with: name))
        }
        return sentence
    }
}
