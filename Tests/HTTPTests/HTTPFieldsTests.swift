import FuzzTargets
import Testing

@testable import HTTP

@Suite struct HTTPFieldsTests {
    @Test(arguments: KnownField.allCases.filter { $0 != .anyOther })
    func `a known name is recognized in any case, and nothing near it is`(_ field: KnownField) throws {
        let text = "\(field.text)"
        for spelling in [text, text.lowercased(), text.uppercased()] {
            #expect(HTTPFieldName(spelling)?.known == field)
        }
        #expect(HTTPFieldName(text + "x")?.known != field)
        #expect(HTTPFieldName(String(text.dropLast()))?.known != field)
        for index in text.indices {
            for other in ["_", "1", "q", "~", "."] where other != text[index].lowercased() {
                let near = text.replacingCharacters(in: index...index, with: other)
                #expect(HTTPFieldName(near)?.known != field)
            }
        }
    }

    @Test func `a name without a number is the same as one made from its text`() {
        for name in HTTPFieldName.unnumbered {
            #expect(HTTPFieldName(name.text.uppercased()) == name)
            var fields = HTTPFields()
            fields.append(name, "x")
            #expect(fields[name] == "x")
        }
        #expect(Set(HTTPFieldName.unnumbered).count == HTTPFieldName.unnumbered.count)
    }

    @Test func `token characters are those of RFC 9110`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max { #expect(byte.isToken == tokens.contains(byte)) }
    }

    @Test func `the first control is found wherever it is`() {
        for length in 0..<40 {
            for at in 0...length {
                for control in [UInt8(0), 9, 10, 13, 31, 127] {
                    var bytes = [UInt8](repeating: at.isMultiple(of: 2) ? 0xFF : 0x20, count: length)
                    if at < length { bytes[at] = control }
                    if at + 1 < length { bytes[at + 1] = control == 13 ? 10 : 0x80 }
                    #expect(bytes.withUnsafeBytes { $0.firstControl(from: 0) } == at)
                }
            }
        }
    }

    @Test func `fields keep their order and are found in any case`() throws {
        let own = try #require(HTTPFieldName("X-Own-Field-Of-Some-Length"))
        var fields = HTTPFields()
        #expect(fields.isEmpty)
        fields.append(.accept, "a")
        fields.append(own, "1")
        fields.append(.accept, " b ")
        fields.append(.etag, literal: "\"x\"")
        #expect(
            fields.map { "\($0.name.text)=\($0.value)" } == [
                "Accept=a", "x-own-field-of-some-length=1", "Accept=b", "ETag=\"x\"",
            ])
        #expect(fields[.accept] == "a")
        #expect(fields.values(of: .accept) == ["a", "b"])
        #expect(fields.count(of: .accept) == 2)
        #expect(fields[try #require(HTTPFieldName("x-OWN-field-of-some-length"))] == "1")
        #expect(fields.withValue(of: .etag) { $0.count } == 3)
        #expect(fields.withValue(of: .date) { $0.count } == nil)
        fields.set(.accept, "c")
        #expect(fields.values(of: .accept) == ["c"])
        fields.remove(own)
        #expect(!fields.contains(own))
        #expect(fields.count == 2)
    }

    @Test func `fields of a request can be changed without harm to its target`() throws {
        let bytes = Array("GET /a?b HTTP/1.1\r\nHost: x\r\nAccept: y\r\n\r\n".utf8)
        guard case .head(var head, _) = Feed.verdict(bytes) else {
            Issue.record("no head")
            return
        }
        head.fields.remove(.host)
        head.fields.append(.host, "other")
        #expect(head.target.rawPath == "/a")
        #expect(head.target.query("b") == "")
        #expect(head.fields[.host] == "other")
        #expect(head.fields[.accept] == "y")
    }
}

extension String {
    fileprivate func replacingCharacters(in range: ClosedRange<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[index(after: range.upperBound)...])
    }
}
