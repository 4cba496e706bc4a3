/// What a view finds around it.
@MainActor
struct Surroundings {
    /// The values that views read with `@Environment`.
    var environment = EnvironmentValues()
    /// The space that is offered to a view.
    var size = CGSize(width: 320, height: 480)
    /// True if rows wait until there is room for them.
    var isLazy = false
    /// The pages that a link can push.
    var pages: Pages?
    /// What shuts the alert around a button.
    var closesAlert: (@MainActor () -> Void)?
    /// The choice that a row of a picker takes part in.
    var choice: Choice?
    /// The tabs that a view below is one of.
    var tabs: Tabs?
    /// What hears of an entered text.
    var submit: (@MainActor () -> Void)?
}
