@main
struct Fogbase {
    static func main() {}
}
