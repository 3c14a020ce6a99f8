/// Escapes of PostgreSQL's COPY and of MySQL: a character, or the number of a byte.
extension TableScanner {
    mutating func scanEscape(_ byte: UInt8, _ index: inout Int) {
        switch state {
        case .octal:
            if byte &- 0x30 < 8, escapeDigits < 3 {
                escapedByte = escapedByte << 3 | (byte &- 0x30)
                escapeDigits += 1
                index &+= 1
                return
            }
            endByteEscape()
        case .hex:
            if let digit = Hexadecimal.digit(byte), escapeDigits < 2 {
                escapedByte = escapedByte << 4 | digit
                escapeDigits += 1
                index &+= 1
                return
            }
            endByteEscape()
        default:
            index &+= 1
            beginEscape(byte)
        }
    }

    private mutating func beginEscape(_ byte: UInt8) {
        isNullEscape = byte == UInt8(ascii: "N") && row.text.count == cellStart && !isQuoted
        isEndMark = byte == UInt8(ascii: ".") && row.text.isEmpty && row.cells.isEmpty && !isQuoted
        cellHasEscapes = true
        escapedByte = 0
        escapeDigits = 0
        switch byte {
        case UInt8(ascii: "b"): endEscape(0x08)
        case UInt8(ascii: "f"): endEscape(0x0C)
        case UInt8(ascii: "n"): endEscape(0x0A)
        case UInt8(ascii: "r"): endEscape(0x0D)
        case UInt8(ascii: "t"): endEscape(0x09)
        case UInt8(ascii: "v"): endEscape(0x0B)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            escapedByte = byte &- 0x30
            escapeDigits = 1
            state = .octal
        case UInt8(ascii: "x"): state = .hex
        default:
            if byte == 0x0A || byte == 0x0D { countBreak(byte) }
            endEscape(byte)
        }
    }

    mutating func endByteEscape() {
        rowHasByteEscapes = true
        // `\x` without digits is an x, as in PostgreSQL.
        endEscape(escapeDigits == 0 ? UInt8(ascii: "x") : escapedByte)
    }

    mutating func endEscape(_ byte: UInt8) {
        row.text.append(byte)
        state = isQuoted ? .quoted : .unquoted
    }
}
