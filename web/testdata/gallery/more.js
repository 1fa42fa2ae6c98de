export const more = () => null;
