import RecordModel

/// The result of a field operation on a value.
struct OperationResult {
    /// The canonical text of the new value.
    let value: [UInt8]
    let decodedSize: Int

    /// Evaluates `copy`.
    ///
    /// - Parameters:
    ///   - source: The stored text of the other field's value.
    ///   - found: The type of the other field.
    ///   - type: The type of the field.
    /// - Throws: `INTERNAL_ERROR` if the value is damaged.
    init(copying source: [UInt8], of found: FieldType, to type: FieldType) throws(RecordError) {
        var text: [UInt8] = []
        let isText = type == .string && found != .string
        if isText { text.append(UInt8(ascii: "\"")) }
        // The text may be that of an INT64 from before its field became DOUBLE.
        CanonicalValue.append(try CanonicalValue.decode(source, as: isText ? found : type), to: &text)
        if isText { text.append(UInt8(ascii: "\"")) }
        value = text
        let size = text.withUnsafeBytes { CanonicalValue.check($0, as: type) }
        guard let size else { throw .damagedFields }
        decodedSize = size
    }

    /// Evaluates an operation other than `setIfAbsent` and `copy`.
    ///
    /// - Parameter old: The canonical text of the present value; `nil` if the record lacks the field.
    /// - Throws: `BAD_REQUEST` if a sum overflows (cause `TYPE_MISMATCH`) or a list becomes too long (`TOO_LARGE`);
    ///   `INTERNAL_ERROR` if the present value is damaged.
    init(
        of operation: FieldOperation, on old: [UInt8]?, type: FieldType, operands: [UInt8], now: Int64
    ) throws(RecordError) {
        var text: [UInt8] = []
        switch operation {
        case .incrementInteger(let step):
            text.appendInteger(try Self.sum(old, step))
        case .incrementDouble(let step):
            text.appendDouble(try Self.sum(old, step))
        case .serverTime:
            text.appendInteger(now)
        case .append(let list):
            text = try Self.list(old, operands[list], type) { members, added throws(RecordError) in members + added }
        case .appendUnique(let list):
            text = try Self.list(old, operands[list], type) { members, added throws(RecordError) in
                var known = try Self.identities(members, type)
                var list = members
                for member in added where known.insert(try Self.identity(member, type)).inserted { list.append(member) }
                return list
            }
        case .remove(let list):
            text = try Self.list(old, operands[list], type) { members, removed throws(RecordError) in
                let unwanted = try Self.identities(removed, type)
                var list: [ArraySlice<UInt8>] = []
                for member in members where !unwanted.contains(try Self.identity(member, type)) { list.append(member) }
                return list
            }
        case .setIfAbsent, .copy:
            preconditionFailure("The merge decides these operations without looking at the field's own value")
        }
        value = text
        if type.isList {
            let size = text.withUnsafeBytes { CanonicalValue.check($0, as: type) }
            guard let size else { throw .damagedFields }
            decodedSize = size
        } else {
            decodedSize = 8
        }
    }

    private static func identities(
        _ members: [ArraySlice<UInt8>], _ type: FieldType
    ) throws(RecordError) -> Set<ArraySlice<UInt8>> {
        var identities: Set<ArraySlice<UInt8>> = []
        for member in members { identities.insert(try identity(member, type)) }
        return identities
    }

    /// Returns the bytes that represent a list member in comparisons. As in predicates, these are the record name of a
    /// reference, the checksum of an asset, or the value of a number.
    private static func identity(_ member: ArraySlice<UInt8>, _ type: FieldType) throws(RecordError) -> ArraySlice<
        UInt8
    > {
        switch type.element {
        case .double:
            return member.elementsEqual("-0.0".utf8) ? ArraySlice("0.0".utf8) : member
        case .reference, .asset:
            switch try CanonicalValue.decode(Array(member), as: type.element) {
            case .reference(let reference): return ArraySlice(reference.recordName.text.utf8)
            case .asset(let asset): return ArraySlice(asset.fileChecksum.utf8)
            default: throw .damagedFields
            }
        default: return member
        }
    }

    private static func sum(_ old: [UInt8]?, _ step: Int64) throws(RecordError) -> Int64 {
        guard let old else { return step }
        guard case .int64(let number) = try CanonicalValue.decode(old, as: .int64) else { throw .damagedFields }
        let (sum, overflow) = number.addingReportingOverflow(step)
        if overflow { throw overflowed(.int64) }
        return sum
    }

    private static func sum(_ old: [UInt8]?, _ step: Double) throws(RecordError) -> Double {
        guard let old else { return step }
        guard case .double(let number) = try CanonicalValue.decode(old, as: .double) else { throw .damagedFields }
        let sum = number + step
        if !sum.isFinite { throw overflowed(.double) }
        return sum
    }

    private static func overflowed(_ type: FieldType) -> RecordError {
        .badRequest(
            "The increment goes beyond the range of \(type.schemaName)", cause: .typeMismatch,
            details: [("expected", .text(type.schemaName))])
    }

    /// Combines the canonical texts of members into the canonical text of a list.
    private static func list(
        _ old: [UInt8]?, _ operand: ArraySlice<UInt8>, _ type: FieldType,
        _ combine: ([ArraySlice<UInt8>], [ArraySlice<UInt8>]) throws(RecordError) -> [ArraySlice<UInt8>]
    ) throws(RecordError) -> [UInt8] {
        let members = try combine(try split(old ?? [UInt8]("[]".utf8)), try split(Array(operand)))
        if members.count > Limits.listMembers {
            throw .badRequest(
                "A list has too many members", cause: .tooLarge,
                details: [("limit", .number(Int64(Limits.listMembers)))])
        }
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: member)
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    private static func split(_ list: [UInt8]) throws(RecordError) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        do throws(ValueMismatch) {
            try list.withUnsafeBufferPointer { buffer throws(ValueMismatch) in
                var reader = JSONReader(UnsafeRawBufferPointer(buffer))
                guard let token = try? reader.value() else { throw ValueMismatch("no list", at: 0) }
                try CanonicalValue.forEachMember(token, of: reader) { member throws(ValueMismatch) in
                    members.append(list[member.range])
                }
            }
        } catch {
            throw .damagedFields
        }
        return members
    }
}
