/// Bodies with the boundary `AaB03x`, and the error of each.
let malformedMultipartBodies: [(String, String)] = [
    ("", "The body ends before its first boundary."),
    ("no boundary", "The body ends before its first boundary."),
    ("--AaB03x", "The body ends before its first boundary."),
    (
        "--AaB03x\nContent-Disposition: form-data; name=a\n\nx\n--AaB03x--\n",
        "A line with a boundary ends in LF instead of CR LF."
    ),
    (
        "--AaB03x\r\nContent-Disposition: form-data; name=a\n\r\nx\r\n--AaB03x--",
        "A line in the head of a part ends in LF instead of CR LF."
    ),
    ("--AaB03x\r\n\nx\r\n--AaB03x--", "A line in the head of a part ends in LF instead of CR LF."),
    ("--AaB03x x\r\n", "Something follows a boundary in its line."),
    ("--AaB03x \rx", "Something follows a boundary in its line."),
    ("\(part())--AaB03x--x", "Something follows the closing boundary in its line."),
    ("\(part())--AaB03x--\n", "Something follows the closing boundary in its line."),
    (part(), "The body ends without its closing boundary."),
    ("\(part())--AaB03x", "The body ends without its closing boundary."),
    ("\(part())--AaB03x-", "The body ends without its closing boundary."),
    ("\(part())--AaB03x\r\n", "The body ends in the head of a part."),
    ("\(part())--AaB03x\r\nContent-Disp", "The body ends in the head of a part."),
    ("--AaB03x\r\n\r\nx\r\n--AaB03x--", "The head of a part has no Content-Disposition."),
    ("--AaB03x\r\nContent-Type: a/b\r\n\r\nx\r\n--AaB03x--", "The head of a part has no Content-Disposition."),
    (
        part("Content-Disposition: form-data; name=b\r\n"),
        "The head of a part has more than one Content-Disposition."
    ),
    (part("Content-Type: a\r\ncontent-type: b\r\n"), "The head of a part has more than one Content-Type."),
    (
        "--AaB03x\r\nContent-Disposition: form-data; name=\"a\r\n\r\n",
        "The Content-Disposition of a part is malformed."
    ),
    (
        "--AaB03x\r\nContent-Disposition: attachment; name=a\r\n\r\n",
        "The Content-Disposition of a part is not form-data."
    ),
    (
        "--AaB03x\r\nContent-Disposition: form-data; filename=a\r\n\r\n",
        "The Content-Disposition of a part names no field."
    ),
    (
        part("Content-Transfer-Encoding: base64\r\n"),
        "The content of a part may not be in a Content-Transfer-Encoding."
    ),
    (part(" folded\r\n"), "A line in the head of a part is folded."),
    (part("no field\r\n"), "A line in the head of a part is no field."),
    (part("A : b\r\n"), "A line in the head of a part is no field."),
    (part(": b\r\n"), "A line in the head of a part is no field."),
    (part("A: b\u{0}\r\n"), "A field in the head of a part has a control character."),
    (part("A: b\rc\r\n"), "A field in the head of a part has a control character."),
]

private func part(_ fields: String = "") -> String {
    "--AaB03x\r\nContent-Disposition: form-data; name=a\r\n\(fields)\r\nx\r\n"
}
