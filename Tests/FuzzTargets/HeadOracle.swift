package import HTTP

/// The rules of a head, implemented slowly by splitting text, to check all accepted heads.
package enum HeadOracle {
    /// The illegal part of an accepted head, or `nil`.
    package static func objection(_ bytes: [UInt8], _ head: RequestHead) -> String? {
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0D, index + 1 == bytes.count || bytes[index + 1] != 0x0A { return "bare CR" }
            if byte == 0x0A, index == 0 || bytes[index - 1] != 0x0D { return "bare LF" }
            if (byte < 0x20 && ![0x09, 0x0A, 0x0D].contains(byte)) || byte == 0x7F { return "control" }
        }
        var lines = lines(of: bytes)
        while lines.first?.isEmpty == true { lines.removeFirst() }
        guard lines.count >= 3, lines[lines.count - 1].isEmpty, lines[lines.count - 2].isEmpty else { return "no end" }
        lines.removeLast(2)
        let parts = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "request line" }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version.count == 8, version.hasPrefix("HTTP/1.") else { return "version" }
        guard (version == "HTTP/1.0") == (head.version == .http10) else { return "version read wrong" }

        var values: [String: [String]] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return "field" }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let tokens = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
            guard name.allSatisfy(tokens.contains) else { return "name" }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            values[name, default: []].append(value.trimmingBlanks)
        }
        return framingObjection(values, head) ?? targetObjection(head)
    }

    private static func framingObjection(_ values: [String: [String]], _ head: RequestHead) -> String? {
        let lengths = values["content-length"] ?? []
        let codings = values["transfer-encoding"] ?? []
        guard lengths.count + codings.count <= 1 else { return "framed twice" }
        guard codings.allSatisfy({ $0.lowercased() == "chunked" }) else { return "coding" }
        let expected: BodyFraming
        if let text = lengths.first {
            guard let length = Int(text), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return "length" }
            expected = .length(length)
        } else {
            expected = codings.isEmpty ? .none : .chunked
        }
        guard head.framing == expected else { return "framing read wrong" }
        guard codings.isEmpty || head.version == .http11 else { return "coding in HTTP/1.0" }
        let hosts = values["host"]?.count ?? 0
        guard hosts == 1 || (hosts == 0 && head.version == .http10) else { return "hosts" }
        return nil
    }

    private static func targetObjection(_ head: RequestHead) -> String? {
        for index in 0..<head.target.segmentCount {
            if let segment = head.target.segment(index), segment == "." || segment == ".." { return "dot segment" }
        }
        return head.target.rawPath.hasPrefix("/") || head.method == .options ? nil : "path"
    }

    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        for byte in bytes where byte != 0x0D {
            if byte == 0x0A { lines.append([]) } else { lines[lines.count - 1].append(byte) }
        }
        return lines
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var characters = unicodeScalars[...]
        while let first = characters.first, first == " " || first == "\t" { characters.removeFirst() }
        while let last = characters.last, last == " " || last == "\t" { characters.removeLast() }
        return String(String.UnicodeScalarView(characters))
    }
}
