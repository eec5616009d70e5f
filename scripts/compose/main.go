// Loads a Compose file as `docker compose config` does, with every profile, and prints it as JSON. It reads neither .env nor the environment.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithProfiles([]string{"*"}), cli.WithoutEnvironmentResolution)
	if err != nil {
		exit(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		exit(err)
	}
	text, err := json.Marshal(project)
	if err != nil {
		exit(err)
	}
	fmt.Println(string(text))
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
