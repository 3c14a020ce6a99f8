import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Random and damaged documents, compared with Foundation's reader where both agree on the meaning of JSON.
struct JSONOracleTests {
    static func random(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
        case 3: return .integer(Int64.random(in: -100...100, using: &generator))
        case 4:
            let double = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator))
            return .double(double.isFinite ? double : 0.5)
        case 5, 6: return .string(string(&generator))
        case 7:
            return .array(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in random(&generator, depth: depth - 1) })
        default:
            var object = JSONObject()
            for index in 0..<Int.random(in: 0...12, using: &generator) {
                object["\(index)" + string(&generator)] = random(&generator, depth: depth - 1)
            }
            return .object(object)
        }
    }

    static func string(_ generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x61...0x7A, 0...0x1F, 0xA0...0x24F, 0x400...0x4FF, 0x2000...0x2FFF, 0x1F300...0x1F6FF,
        ]
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// Whether Foundation's tree says the same. Its strings are compared scalar by scalar.
    static func agrees(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: return other is NSNull
        case .bool(let bool): return (other as? NSNumber)?.boolValue == bool
        case .integer(let integer): return (other as? NSNumber)?.int64Value == integer
        case .double(let double):
            // On Linux it reads most numbers as decimals, whose `doubleValue` may be some units off.
            guard let number = (other as? NSNumber)?.doubleValue else { return false }
            return (number - double).magnitude <= double.magnitude * 1e-12
        case .string(let string):
            return (other as? String).map { $0.unicodeScalars.elementsEqual(string.unicodeScalars) } ?? false
        case .array(let values):
            guard let others = other as? [Any], others.count == values.count else { return false }
            return zip(values, others).allSatisfy(agrees)
        case .object(let object):
            guard let others = other as? [String: Any] else { return false }
            // Foundation's dictionary takes canonically equivalent keys for one.
            guard others.count == Set(object.keys).count else { return false }
            return object.members.allSatisfy { member in others[member.key].map { agrees(member.value, $0) } ?? false }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a random document reads back, and Foundation reads the same`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = Self.random(&generator, depth: 4)
            let bytes = value.bytes
            #expect(try JSONValue.parse(bytes) == value)
            let other = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(Self.agrees(value, other), "\(text(bytes))")
        }
    }

    static let document =
        #"{"fields":{"title":"s\u00e9a \ud83d\ude00","good":{"value":-3,"type":"INT64"},"x":[1.5e3,true,null,{"a":"é😀"}]}}"#

    @Test func `every truncation is rejected`() {
        let bytes = utf8(Self.document)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            #expect(throws: JSONError.self) { try JSONValue.parse(cut) }
            #expect(throws: RecordError.self) { try RecordInput.readSingle(cut) }
            #expect(throws: RecordError.self) { try BatchInput.read(cut, maxOperations: 10) }
        }
    }

    @Test func `whatever survives the change of any byte to any value is JSON to Foundation too`() throws {
        let bytes = utf8(Self.document)
        var accepted = 0
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                _ = try? RecordInput.readSingle(changed)
                guard let value = try? JSONValue.parse(changed) else { continue }
                accepted += 1
                let other = try JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)
                #expect(Self.agrees(value, other), "\(text(changed))")
            }
        }
        #expect(accepted > 1_000)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `noise never crashes the readers`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = utf8("{}[]\",:\\u0123dDeE+-. \n/tfn") + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xA9, 0xED, 0xF0, 0x9F]
        for _ in 0..<500 {
            let noise = (0..<Int.random(in: 0...64, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            _ = try? JSONValue.parse(noise)
            _ = try? RecordInput.readSingle(utf8("{\"fields\":") + noise)
            _ = try? BatchInput.read(utf8("{\"operations\":") + noise, maxOperations: 3)
            _ = try? RecordDictionary.decode(noise)
        }
    }
}
