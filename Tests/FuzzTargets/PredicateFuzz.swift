import RecordModel

/// Properties of the texts of conditions.
enum PredicateFuzz {
    /// A condition that is bound has a text, which is bound to the same condition.
    static func objection(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        let (arguments, variables): ([QueryArgument], [String: QueryArgument]) = (
            [.integer(3), .string("x"), .double(0.5)], ["a": .string("y"), "n": .null]
        )
        let predicate: Predicate
        do throws(RecordError) {
            predicate = try QuerySample.bind(text, arguments, variables)
            let syntax = try PredicateSyntax.parse(text)
            do throws(RecordError) {
                try syntax.requireCloudKit(
                    text, of: try QuerySample.type(), positional: arguments, named: variables)
            } catch {
                guard error.offset != nil, error.found != nil else { return "Not strict, without a place." }
            }
        } catch {
            return error.reason.isEmpty ? "Refused without a word." : nil
        }
        let simplified = predicate.simplified()
        guard simplified.simplified() == simplified else { return "Simplified again, it is another." }
        let written = simplified.text(limit: 1 << 20)
        do throws(RecordError) {
            let again = try QuerySample.bind(written).simplified()
            return again == simplified ? nil : "Bound again, it is another: \(written)"
        } catch {
            // A text may be longer than its source, and so above a limit.
            return error.cause == .tooLarge ? nil : "Not bound again: \(written): \(error.reason)"
        }
    }
}
