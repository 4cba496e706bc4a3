import GitHubAPI
import GitHubBrowser
import TerminalKit

/// The browser at a terminal: keys in, frames out.
@MainActor
final class InteractiveBrowser {
    private let browser: Browser
    private let backend: Backend
    private let terminal: Terminal
    private var field = TextField()
    private var focus = ScreenView.Focus.field
    private var credentials: TextField?
    private var willDraw = false
    private var isDone = false

    init(browser: Browser, backend: Backend, terminal: Terminal) {
        self.browser = browser
        self.backend = backend
        self.terminal = terminal
    }

    /// Returns when the user has had enough, or is gone.
    func run() async {
        // Retains this object until the end of the function. A weak reference would not: nothing else uses it then.
        browser.onChange = { self.drawSoon() }
        draw()
        for await event in terminal.events {
            switch event {
            case .key(let key): handle(key)
            case .resized, .resumed: break
            }
            if isDone { break }
            draw()
        }
        browser.onChange = nil
        terminal.close()
        await browser.api.settleCaches()
    }

    // MARK: Drawing

    /// Draws once for all that changes in one turn.
    private func drawSoon() {
        guard !willDraw else { return }
        willDraw = true
        Task {
            willDraw = false
            draw()
        }
    }

    private func draw() {
        guard !isDone else { return }
        let view = ScreenView(
            state: browser.state, size: terminal.size, field: field, focus: focus, credentials: credentials,
            accounts: backend.accounts)
        terminal.draw(view.frame)
    }

    // MARK: Keys

    private func handle(_ key: Key) {
        switch key {
        case .interrupt, .control("d"): isDone = true
        case .control("z"): terminal.suspend()
        case .redraw: terminal.invalidate()
        default:
            if credentials != nil {
                handleCredentials(key)
            } else if browser.state.detail != nil {
                handleDetail(key)
            } else if focus == .field {
                handleField(key)
            } else {
                handleList(key)
            }
        }
    }

    private func handleField(_ key: Key) {
        switch key {
        case .down, .enter, .tab: focus = .list
        case .escape:
            // Once to empty the field, and again to leave it.
            guard !field.text.isEmpty else { return focus = .list }
            field = TextField()
            browser.setText("")
        default:
            if field.handle(key) { browser.setText(field.text) }
        }
    }

    private func handleList(_ key: Key) {
        let selection = browser.search.selection
        let page = max(terminal.size.rows - 6, 1)
        switch key {
        case .up:
            if selection == 0 { focus = .field } else { browser.select(selection - 1) }
        case .down: browser.select(selection + 1)
        case .pageUp: browser.select(selection - page)
        case .pageDown: browser.select(selection + page)
        case .home: browser.select(0)
        case .end: browser.select(.max)
        case .enter, .right: browser.open(selection)
        case .character("/"), .tab, .backTab, .escape: focus = .field
        case .backspace:
            focus = .field
            handleField(key)
        default: handleCommand(key)
        }
    }

    private func handleDetail(_ key: Key) {
        switch key {
        case .escape, .left, .backspace: browser.close()
        case .up: browser.open(browser.search.selection - 1)
        case .down: browser.open(browser.search.selection + 1)
        case .character("s"):
            Task { [weak self, browser] in
                await browser.toggleStar()
                self?.drawSoon()
            }
        default: handleCommand(key)
        }
    }

    private func handleCommand(_ key: Key) {
        switch key {
        case .character("q"): isDone = true
        case .character("r"):
            if browser.state.hasFailure { browser.retry() } else { browser.reload() }
        case .character("o"): browser.isOnline.toggle()
        case .character("l"):
            if browser.api.isAuthenticated { browser.logOut() } else { credentials = TextField() }
        default: break
        }
    }

    private func handleCredentials(_ key: Key) {
        switch key {
        case .enter:
            if let name = credentials?.text, !name.isEmpty { browser.logIn(token: backend.token(of: name)) }
            credentials = nil
        case .escape: credentials = nil
        default: _ = credentials?.handle(key)
        }
    }
}

extension BrowserState {
    /// Whether something can be tried again.
    fileprivate var hasFailure: Bool {
        if case .failure = shownStatus { return true }
        if case .failed = more { return true }
        return false
    }
}
